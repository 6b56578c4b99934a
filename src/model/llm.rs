//! What a model is asked and what it answers, in no provider's dialect.
