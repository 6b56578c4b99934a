//! The word that was probably meant.

/// The likeness (Jaro-Winkler, 0 to 1) from which one word may be meant by the other.
const LIKE: f64 = 0.82;

/// The known word most like this one, where one is like it at all.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|one| (one, strsim::jaro_winkler(&lower, &one.to_lowercase())))
        .filter(|(_, likeness)| *likeness >= LIKE)
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(one, _)| one)
}
