"""The field's standard mechanisms, sound ones only: one file a mechanism, and the kernels they share."""
