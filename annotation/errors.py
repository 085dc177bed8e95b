"""What goes wrong in the annotation room."""

from catalog.errors import LookbenchError


class AnnotationError(LookbenchError):
    """A failure of labelling that a person can act on."""


class ServerError(AnnotationError):
    """Label Studio cannot be started, stopped or found."""


class StudioError(AnnotationError):
    """Label Studio does not answer, refuses the token, or refuses a request."""


class PredictionError(AnnotationError):
    """Predictions that the template cannot show; refused before anything is uploaded."""


class PullError(AnnotationError):
    """What lies in Label Studio does not belong to the edition."""
