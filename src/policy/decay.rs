//! Effective confidence: what the age of an item leaves of its confidence (`decay` in `memdir.yaml`).
//!
//! Never writes it: it is computed at each read, so that time alone changes no file.

use jiff::civil::Date;

use super::DecayRule;

/// Below this effective confidence, an item is doubtful: `context` marks it and shows it last.
pub const LOW_CONFIDENCE: f64 = 0.5;

/// The confidence of an item on a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectiveConfidence {
    /// As the item states it, 0 to 1.
    pub stated: f64,
    /// What is left of it, 0 to `stated`.
    pub value: f64,
    /// The day on which it begins to decay; `None` if it does not: no date is known, or the policy has no `decay`.
    pub since: Option<Date>,
    /// Whole days since then; 0 for a day in the future.
    pub age_days: u32,
    /// Whether decay has reached its lower bound.
    at_floor: bool,
}

impl EffectiveConfidence {
    /// `max(stated × 2^(−age / half_life), min(stated, floor))`. Without a rule or a date, `stated` itself. A day in
    /// the future, after a jump of the clock, has no age: the value never exceeds `stated`.
    pub fn new(stated: f64, rule: Option<DecayRule>, since: Option<Date>, today: Date) -> EffectiveConfidence {
        let (Some(rule), Some(since)) = (rule, since) else {
            return EffectiveConfidence { stated, value: stated, since: None, age_days: 0, at_floor: false };
        };
        let age_days = since.until(today).map_or(0, |span| u32::try_from(span.get_days()).unwrap_or(0));
        let least = stated.min(rule.floor);
        let decayed = stated * (-f64::from(age_days) / f64::from(rule.half_life_days)).exp2();
        let at_floor = decayed <= least && least < stated;
        EffectiveConfidence { stated, value: decayed.max(least), since: Some(since), age_days, at_floor }
    }

    pub fn is_low(&self) -> bool {
        self.value < LOW_CONFIDENCE
    }

    /// Whether age has made it low, or has taken it to the floor: it should be confirmed or removed.
    pub fn is_stale(&self) -> bool {
        self.value < self.stated && (self.is_low() || self.at_floor)
    }

    /// The value for people, rounded to hundredths: `0.31`, `0.3`.
    pub fn rounded(&self) -> f64 {
        (self.value * 100.0).round() / 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: DecayRule = DecayRule { half_life_days: 180, floor: 0.3 };
    const TODAY: Date = Date::constant(2026, 7, 1);

    fn check(stated: f64, rule: Option<DecayRule>, since: Option<&str>, value: f64, is_stale: bool) {
        let since = since.map(|day| day.parse().unwrap());
        let found = EffectiveConfidence::new(stated, rule, since, TODAY);
        assert!((found.value - value).abs() < 1e-7, "{stated} {since:?}: {found:?}");
        assert_eq!(found.is_stale(), is_stale, "{found:?}");
        assert!(found.value <= stated);
    }

    #[test]
    fn confidence_halves_in_a_half_life_down_to_the_floor() {
        check(0.8, Some(RULE), Some("2026-07-01"), 0.8, false);
        // 180 and 360 days.
        check(0.8, Some(RULE), Some("2026-01-02"), 0.4, true);
        check(1.0, Some(RULE), Some("2026-01-02"), 0.5, false);
        check(1.0, Some(RULE), Some("2026-01-01"), 0.498_078_29, true);
        check(0.8, Some(RULE), Some("2025-07-06"), 0.3, true);
        check(0.8, Some(RULE), Some("1000-01-01"), 0.3, true);
    }

    #[test]
    fn a_confidence_below_the_floor_stays_and_is_not_stale() {
        check(0.2, Some(RULE), Some("2020-01-01"), 0.2, false);
        check(0.3, Some(RULE), Some("2020-01-01"), 0.3, false);
        check(0.0, Some(RULE), Some("2020-01-01"), 0.0, false);
        check(0.9, Some(DecayRule { floor: 0.0, ..RULE }), Some("1000-01-01"), 0.0, true);
        // At a high floor, the value is not low, but age has taken what it can.
        check(0.9, Some(DecayRule { floor: 0.7, ..RULE }), Some("2026-06-01"), 0.801_808_8, false);
        check(0.9, Some(DecayRule { floor: 0.7, ..RULE }), Some("2026-01-02"), 0.7, true);
    }

    #[test]
    fn without_a_rule_or_a_date_nothing_decays() {
        check(0.8, None, Some("2020-01-01"), 0.8, false);
        check(0.8, Some(RULE), None, 0.8, false);
        let found = EffectiveConfidence::new(0.8, Some(RULE), None, TODAY);
        assert_eq!((found.since, found.age_days), (None, 0));
    }

    #[test]
    fn a_date_in_the_future_has_no_age() {
        check(0.8, Some(RULE), Some("2026-07-02"), 0.8, false);
        check(0.8, Some(RULE), Some("9999-12-31"), 0.8, false);
    }
}
