"""pytest: the fixture ``dp_audit``, the marker ``dp_claim``, and a summary of what each pass could have caught.

Loading it imports pytest and the standard library alone; dpverify's own modules come with the first audit.
"""
