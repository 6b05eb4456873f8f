"""The evaluator's dossier: regulators' questions, each answered by evidence, by a declaration, or not at all."""
