"""From texts to encodings, from ids to texts, from a corpus to a trained model."""
