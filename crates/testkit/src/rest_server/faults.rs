//! Which requests go wrong, and how.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Answer, Route};

/// How a request goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is done; this is the answer.
    Answer(Answer),
    /// All is done; this is the answer in place of the right one.
    AnswerAfter(Answer),
    /// All is done, after a while. Nothing is done for a client that went away meanwhile.
    Delay(Duration),
    /// All is done; the answer is sent after a while.
    DelayAnswer(Duration),
    /// Nothing is done; the connection is closed without an answer.
    Refuse,
    /// All is done; the connection is closed without an answer.
    LoseAnswer,
    /// All is done; the connection is closed in the middle of the answer's body, whose whole length its
    /// headers promise.
    Truncate,
    /// All is done; the answer has the right status and no body.
    EmptyBody,
}

impl Fault {
    /// Nothing is done; the answer is an error of this status, as the protocol spells it.
    pub fn status(status: u16) -> Self {
        Self::Answer(Answer::error(status, "injected fault"))
    }
}

/// Requests of one call, or of all, that go wrong in one way.
///
/// Each rule counts for itself the requests that it is about and no rule before it decided.
#[derive(Debug, Clone)]
pub struct Rule {
    route: Option<Route>,
    path_part: Option<String>,
    skip: usize,
    times: usize,
    fault: Fault,
}

impl Rule {
    /// Every request of a call.
    pub fn on(route: Route, fault: Fault) -> Self {
        Self {
            route: Some(route),
            ..Self::any(fault)
        }
    }

    /// Every request, those that are no call of the protocol too.
    pub fn any(fault: Fault) -> Self {
        Self {
            route: None,
            path_part: None,
            skip: 0,
            times: usize::MAX,
            fault,
        }
    }

    /// Only requests whose path, as it was sent, has this text in it.
    #[must_use]
    pub fn on_path(mut self, part: impl Into<String>) -> Self {
        self.path_part = Some(part.into());
        self
    }

    /// Not the first ones.
    #[must_use]
    pub fn skip(mut self, requests: usize) -> Self {
        self.skip = requests;
        self
    }

    /// Only so many, after those skipped.
    #[must_use]
    pub fn times(mut self, requests: usize) -> Self {
        self.times = requests;
        self
    }

    fn is_about(&self, route: Option<Route>, path: &str) -> bool {
        let right_call = self.route.is_none() || self.route == route;
        let part = self.path_part.as_ref();
        right_call && part.is_none_or(|part| path.contains(part))
    }
}

/// The rules of one server.
#[derive(Debug, Default)]
pub struct Faults {
    armed: Mutex<Armed>,
}

#[derive(Debug, Default)]
struct Armed {
    /// Each with the number of requests it was about so far.
    rules: Vec<(Rule, usize)>,
    fired: usize,
}

/// What becomes of one request.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// How long nothing is done.
    pub(super) delay: Duration,
    /// How long the answer is held back.
    pub(super) answer_delay: Duration,
    /// What else goes wrong.
    pub(super) fault: Option<Fault>,
}

impl Faults {
    /// Adds a rule. Delays of all rules that fit a request add up; of the others the first one that fits
    /// decides.
    pub fn add(&self, rule: Rule) {
        self.lock().rules.push((rule, 0));
    }

    /// Takes all rules away.
    pub fn clear(&self) {
        self.lock().rules.clear();
    }

    /// How many requests went wrong so far, delayed ones too.
    pub fn fired(&self) -> usize {
        self.lock().fired
    }

    pub(super) fn plan(&self, route: Option<Route>, path: &str) -> Plan {
        let mut plan = Plan::default();
        let mut armed = self.lock();
        let mut fired = false;
        for (rule, seen) in &mut armed.rules {
            let is_delay = matches!(rule.fault, Fault::Delay(_) | Fault::DelayAnswer(_));
            // A rule that comes too late does not count the request, so that rules in a row take turns.
            if !rule.is_about(route, path) || (plan.fault.is_some() && !is_delay) {
                continue;
            }
            let number = *seen;
            *seen += 1;
            if number < rule.skip || number - rule.skip >= rule.times {
                continue;
            }
            match &rule.fault {
                Fault::Delay(more) => plan.delay += *more,
                Fault::DelayAnswer(more) => plan.answer_delay += *more,
                fault => plan.fault = Some(fault.clone()),
            }
            fired = true;
        }
        armed.fired += usize::from(fired);
        plan
    }

    fn lock(&self) -> MutexGuard<'_, Armed> {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
