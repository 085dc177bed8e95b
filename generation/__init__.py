"""AI pictures of an edition: seed garments set into generated scenes, each with its full provenance."""
