//! Lists of values in a statement.

/// SQL of so many places for values, the first of which is `?first`: what stands within the brackets of an `IN`.
pub(crate) fn places(first: usize, number: usize) -> String {
    let each: Vec<String> = (first..first + number).map(|place| format!("?{place}")).collect();
    each.join(", ")
}

/// The values of a list, with the last one again up to a round number of them: a statement is prepared for each length of
/// its list, so there are to be few.
pub(crate) fn rounded<T: Clone>(values: &[T]) -> Vec<T> {
    let mut all = values.to_vec();
    if let Some(last) = values.last() {
        all.resize(values.len().next_power_of_two(), last.clone());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_about_one_length_are_one_statement() {
        assert_eq!(places(2, 3), "?2, ?3, ?4");
        assert_eq!(rounded(&[7, 8, 9]), [7, 8, 9, 9]);
        assert_eq!((rounded(&[7, 8]), rounded::<i64>(&[])), (vec![7, 8], Vec::new()));
    }
}
