//! The person a task works for, as what is shared out by person far below asks it.
//!
//! It belongs to the task and is not inherited by tasks it starts: each door that starts one says for whom.

use satchel_model::user::UserId;

tokio::task_local! {
    static USER: Option<UserId>;
}

/// Does work for this person; `None` is the server itself, or nobody who is known.
pub fn run_as<F: Future>(user: Option<UserId>, work: F) -> impl Future<Output = F::Output> {
    USER.scope(user, work)
}

/// The person whom the present task works for; `None` where nobody said.
pub fn current() -> Option<UserId> {
    USER.try_with(|user| *user).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_works_for_whom_it_was_said_and_what_it_starts_for_nobody() {
        let ann = Some(UserId::new());
        assert_eq!(current(), None);
        let (own, started) = run_as(ann, async { (current(), tokio::spawn(async { current() }).await.unwrap()) }).await;
        assert_eq!((own, started, current()), (ann, None, None));
    }
}
