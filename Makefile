.PHONY: setup demo test lint bench
export PYTHON

setup:
	@./setup.sh all

demo: setup
	@.venv/bin/lookbench demo $(ARGS)

test:
	@./setup.sh dev
	@.venv/bin/python -m pytest $(ARGS)

lint:
	@./setup.sh dev
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy

bench:
	@./setup.sh dev
	@for script in benchmarks/*.py; do echo "== $$script"; .venv/bin/python "$$script" || exit 1; done
