//! Dependencies: the order of things that wait for each other, or the circle that makes one impossible.

use std::collections::{HashMap, HashSet};

/// A thing's name, and the names of those it waits for.
pub type Waiting<'a> = (&'a str, Vec<&'a str>);

/// Returns the places of the things in an order in which each comes after all it waits for; where that leaves a choice,
/// as they were given. What is not among them is not waited for.
///
/// # Errors
///
/// With a circle, its first name again at its end.
pub fn order<'a>(things: &[Waiting<'a>]) -> Result<Vec<usize>, Vec<&'a str>> {
    let known: HashSet<&str> = things.iter().map(|(name, _)| *name).collect();
    let mut done: HashSet<&str> = HashSet::new();
    let mut ordered: Vec<usize> = Vec::with_capacity(things.len());
    let mut left: Vec<usize> = (0..things.len()).collect();
    while !left.is_empty() {
        let ready = left.iter().position(|at| {
            things
                .get(*at)
                .is_some_and(|(_, waits)| waits.iter().all(|for_| done.contains(for_) || !known.contains(for_)))
        });
        let Some(place) = ready else { return Err(circle(things, &left)) };
        let at = left.remove(place);
        done.extend(things.get(at).map(|(name, _)| *name));
        ordered.push(at);
    }
    Ok(ordered)
}

/// Each of those left waits for another of them: whoever follows that comes by somewhere twice.
fn circle<'a>(things: &[Waiting<'a>], left: &[usize]) -> Vec<&'a str> {
    let waiting: HashMap<&str, &Waiting<'a>> =
        left.iter().filter_map(|at| things.get(*at)).map(|thing| (thing.0, thing)).collect();
    let mut way: Vec<&'a str> = Vec::new();
    let mut at = left.first().and_then(|at| things.get(*at));
    while let Some((name, waits)) = at {
        if let Some(begin) = way.iter().position(|seen| seen == name) {
            way.drain(..begin);
            way.push(name);
            return way;
        }
        way.push(name);
        at = waits.iter().find_map(|for_| waiting.get(for_)).copied();
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comes_after_all_it_waits_for_and_else_as_written() {
        let things = [("pay", vec!["order", "check"]), ("order", vec![]), ("note", vec![]), ("check", vec!["order"])];
        assert_eq!(order(&things), Ok(vec![1, 2, 3, 0]));
        assert_eq!(order(&[("a", vec!["elsewhere"])]), Ok(vec![0]));
        assert_eq!(order(&[]), Ok(vec![]));
    }

    #[test]
    fn a_circle_is_named_without_what_leads_to_it() {
        let things = [("start", vec!["a"]), ("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["a"]), ("free", vec![])];
        assert_eq!(order(&things), Err(vec!["a", "b", "c", "a"]));
        assert_eq!(order(&[("self", vec!["self"])]), Err(vec!["self", "self"]));
    }
}
