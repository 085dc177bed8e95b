"""Labels: a Label Studio project from the taxonomy, predictions to start from, and what came back."""
