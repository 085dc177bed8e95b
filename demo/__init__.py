"""A small shop to crawl: parametric garment pictures or a folder of real photos, with known truth."""
