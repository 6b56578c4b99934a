//! The strength of a memory: it fades with age and firms up each time it is called back.
//!
//! The forgetting curve is that of FSRS version 4 (J. Ye et al., "A Stochastic Shortest Path Algorithm for Optimizing
//! Spaced Repetition Scheduling", KDD 2022, and its successor's published algorithm): after `t` days a memory of
//! stability `S` is held with the probability `R = 1 / (1 + t / (9 S))`, so that `R` is 0.9 after `S` days. Recalling it
//! lengthens `S` by more the more of it had faded, which is FSRS's spacing effect with its weights left out:
//! `S' = S (1 + 10 (1 - R))`. Nothing runs in the background: `R` is computed from the age whenever a memory is read.

use super::{memory::Layer, time::Time};

const DAY: f64 = 86_400_000.0;
/// The amount a recall adds to the stability, as a share of it, for each part of the memory that had faded.
const GROWTH: f64 = 10.0;
/// Longest stability, in days: ten years.
const LONGEST: f64 = 3_650.0;

/// A memory's hold: how slowly it fades, and since when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    /// Days until a tenth of it has faded.
    pub stability: f64,
    /// The time at which it was last said or called back.
    pub fresh_at: Time,
}

impl Strength {
    /// A memory said just now. What holds fades slowest, what merely happened fastest.
    pub fn new(layer: Layer, now: Time) -> Self {
        let stability = match layer {
            Layer::Fact => 180.0,
            Layer::Gist => 30.0,
            Layer::Episode => 14.0,
        };
        Self { stability, fresh_at: now }
    }

    /// Returns the strength with which it is held now, above 0 and at most 1.
    pub fn at(self, now: Time) -> f64 {
        let age = now.millis().saturating_sub(self.fresh_at.millis()).max(0) as f64 / DAY;
        1.0 / (1.0 + age / (9.0 * self.stability.max(0.1)))
    }

    /// After it was said again or called back.
    #[must_use]
    pub fn renewed(self, now: Time) -> Self {
        let stability = self.stability * (1.0 + GROWTH * (1.0 - self.at(now)));
        Self { stability: stability.min(LONGEST), fresh_at: now.max(self.fresh_at) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(days: f64) -> Time {
        Time::from_millis((days * DAY) as i64)
    }

    #[test]
    fn a_tenth_has_faded_after_the_stability_and_half_after_nine_times_it() {
        for layer in [Layer::Fact, Layer::Gist, Layer::Episode] {
            let new = Strength::new(layer, day(0.0));
            let at = |times: f64| (new.at(day(new.stability * times)) * 1_000.0).round() / 1_000.0;
            assert_eq!((at(0.0), at(1.0), at(9.0)), (1.0, 0.9, 0.5), "{layer:?}");
        }
    }

    #[test]
    fn a_recall_firms_it_up_and_ten_in_a_row_no_more_than_one() {
        let new = Strength::new(Layer::Gist, day(0.0));
        let once = new.renewed(day(30.0));
        assert!((once.stability - 60.0).abs() < 1e-6 && once.at(day(30.0)) == 1.0, "{once:?}");
        let ten = (0..10).fold(once, |held, _| held.renewed(day(30.0)));
        assert_eq!(ten, once);
    }

    #[test]
    fn it_lasts_ten_years_at_most_and_a_clock_set_back_does_no_harm() {
        let old =
            (1..100).fold(Strength::new(Layer::Fact, day(0.0)), |held, n| held.renewed(day(f64::from(n) * 400.0)));
        assert_eq!(old.stability, LONGEST);
        assert_eq!(old.at(day(0.0)), 1.0);
        assert_eq!(old.renewed(day(0.0)), old);
    }
}
