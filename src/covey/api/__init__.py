"""The verbs of covey, as Python, the command line and the page call them.

Every one makes a `covey.io.source.Source` or a `covey.pipeline.Plan` of what it is given, and hands it to an engine.
"""
