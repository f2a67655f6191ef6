"""What can go wrong."""


class InvalidArgument(ValueError):
    """Wrong input, found before anything runs: `where what: required, got …; remedy`.

    Attributes: where (file:line:column), what (the key), required, got, remedy; empty strings where unknown.
    """

    def __init__(self, message, where="", what="", required="", got="", remedy=""):
        super().__init__(message)
        self.where, self.what, self.required, self.got, self.remedy = where, what, required, got, remedy

    @classmethod
    def of(cls, what, required, got="", remedy=""):
        """The same five parts, put together in Python."""
        sentence = f"{what}: {required}" + (f", got {got}" if got else "") + (f"; {remedy}" if remedy else "")
        return cls(sentence, "", what, required, got, remedy)


class SimulationFailed(RuntimeError):
    """A rollout that did not reach its last step, for example "diverged at step 12"."""


class PithballWarning(UserWarning):
    """A result that should not be used as it stands; the text has the cause and a remedy."""
