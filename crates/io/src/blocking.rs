//! Work that blocks, on the pool the runtime keeps for it.
//!
//! A hand-over to the pool and back takes two threads being woken, which is long where every processor is busy. A future
//! that does nothing else between two hand-overs is better polled on the pool as a whole: see [`OnPool`].

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::task::AtomicWaker;
use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

use crate::error::{Error, NoRuntimeSnafu, Result};

thread_local! {
    static IN_PLACE: Cell<bool> = const { Cell::new(false) };
}

/// Whether [`run`] does its work on this thread: an [`OnPool`] is being polled here.
pub fn is_in_place() -> bool {
    IN_PLACE.get()
}

/// Runs `work` on the blocking pool of the runtime, or here if this thread is one of it that polls an [`OnPool`].
///
/// # Errors
/// `work` panicked on the pool, or the runtime ended before it began. In place a panic goes on.
///
/// # Panics
/// Outside of a tokio runtime.
pub async fn run<T, F>(work: F) -> std::result::Result<T, JoinError>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    match is_in_place() {
        true => Ok(work()),
        false => spawn_blocking(work).await,
    }
}

/// A future that is polled on the blocking pool, where its blocking work is done in place.
///
/// While the future waits it holds no thread, so any number may wait for each other. Dropped while it is being polled it
/// goes on to where it waits next.
pub struct OnPool<F: Future> {
    state: State<F>,
    signal: Arc<Signal>,
}

enum State<F: Future> {
    Waits(Pin<Box<F>>),
    Polled(JoinHandle<Polled<F>>),
    Done,
}

/// A future, and what a poll of it gave.
type Polled<F> = (Pin<Box<F>>, Poll<<F as Future>::Output>);

/// Tells the task that waits, even if the future is woken while it is still being polled.
#[derive(Default)]
struct Signal {
    woken: AtomicBool,
    task: AtomicWaker,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.task.wake();
    }
}

impl<F> OnPool<F>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    /// Nothing is done before the first poll, which has to be inside of a tokio runtime.
    pub fn new(future: F) -> Self {
        let signal = Signal::default();
        signal.woken.store(true, Ordering::Release);
        Self {
            state: State::Waits(Box::pin(future)),
            signal: Arc::new(signal),
        }
    }
}

/// What the future gives; an error if it panicked or the runtime ended.
impl<F> Future for OnPool<F>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    type Output = std::result::Result<F::Output, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.signal.task.register(context.waker());
        loop {
            match std::mem::replace(&mut self.state, State::Done) {
                State::Waits(future) => {
                    if !self.signal.woken.swap(false, Ordering::AcqRel) {
                        self.state = State::Waits(future);
                        return Poll::Pending;
                    }
                    let waker = Waker::from(Arc::clone(&self.signal));
                    self.state = State::Polled(spawn_blocking(|| poll_in_place(future, waker)));
                }
                State::Polled(mut polled) => {
                    let Poll::Ready(ended) = Pin::new(&mut polled).poll(context) else {
                        self.state = State::Polled(polled);
                        return Poll::Pending;
                    };
                    match ended {
                        Ok((_, Poll::Ready(output))) => return Poll::Ready(Ok(output)),
                        Ok((future, Poll::Pending)) => self.state = State::Waits(future),
                        Err(error) => return Poll::Ready(Err(error)),
                    }
                }
                // Polled again after its end, as no caller may.
                State::Done => return Poll::Pending,
            }
        }
    }
}

fn poll_in_place<F: Future>(mut future: Pin<Box<F>>, waker: Waker) -> Polled<F> {
    let _place = Place::enter();
    let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
    (future, polled)
}

/// Marks this thread as long as it lives, through a panic too: the pool uses its threads again.
struct Place;

impl Place {
    fn enter() -> Self {
        IN_PLACE.set(true);
        Self
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        IN_PLACE.set(false);
    }
}

/// As [`run`], for an operation of this crate on a path.
pub(crate) async fn blocking<T, F>(operation: &'static str, path: &str, work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T> + Send + 'static,
{
    if !is_in_place() && Handle::try_current().is_err() {
        return NoRuntimeSnafu { operation, path }.fail();
    }
    match run(work).await {
        Ok(result) => result,
        Err(source) => Err(Error::TaskFailed {
            operation,
            path: path.to_owned(),
            source,
        }),
    }
}

/// Runs `work` on a path as [`blocking`] does.
pub(crate) async fn on_path<T, F>(operation: &'static str, path: &str, work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce(&str) -> Result<T> + Send + 'static,
{
    let owned = path.to_owned();
    blocking(operation, path, move || work(&owned)).await
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use std::thread;

    use tokio::runtime::{Builder, Runtime};
    use tokio::sync::mpsc::unbounded_channel;
    use tokio::sync::oneshot;
    use tokio::task::yield_now;

    use super::*;

    /// A runtime whose pool has one thread.
    fn one_thread() -> Runtime {
        Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(1)
            .build()
            .unwrap()
    }

    #[test]
    fn work_is_done_in_place_on_the_pool_only() {
        one_thread().block_on(async {
            assert!(!is_in_place());
            let here = thread::current().id();
            assert_ne!(run(|| thread::current().id()).await.unwrap(), here);
            let seen = OnPool::new(async {
                let polled = thread::current().id();
                (
                    is_in_place(),
                    polled,
                    run(|| thread::current().id()).await.unwrap(),
                )
            });
            let (in_place, polled, worked) = seen.await.unwrap();
            assert!(in_place);
            assert_ne!(polled, here);
            assert_eq!(worked, polled);
            // Others that use the thread are not taken for it.
            assert!(!run(is_in_place).await.unwrap());
        });
    }

    #[test]
    fn futures_that_wait_for_each_other_share_one_thread() {
        one_thread().block_on(async {
            let (to_second, mut from_first) = unbounded_channel();
            let (to_first, mut from_second) = unbounded_channel();
            let first = OnPool::new(async move {
                let mut sum = 0;
                for number in 0..100 {
                    to_second.send(number).unwrap();
                    sum += from_second.recv().await.unwrap();
                }
                sum
            });
            let second = OnPool::new(async move {
                while let Some(number) = from_first.recv().await {
                    to_first.send(2 * number).unwrap();
                }
            });
            let second = tokio::spawn(second);
            assert_eq!(tokio::spawn(first).await.unwrap().unwrap(), 9_900);
            second.await.unwrap().unwrap();
        });
    }

    #[test]
    fn a_future_woken_while_it_is_polled_is_polled_again() {
        one_thread().block_on(async {
            let turns = OnPool::new(async {
                for _ in 0..1_000 {
                    yield_now().await;
                }
                1_000
            });
            assert_eq!(turns.await.unwrap(), 1_000);
        });
    }

    #[test]
    fn a_panic_is_an_error_and_leaves_the_thread_as_it_was() {
        one_thread().block_on(async {
            let failed = OnPool::new(async { panic!("as the test wants it") });
            let failed: std::result::Result<(), JoinError> = failed.await;
            assert!(failed.unwrap_err().is_panic());
            assert!(!run(is_in_place).await.unwrap());
        });
    }

    #[test]
    fn a_future_that_waits_is_dropped_with_its_task() {
        one_thread().block_on(async {
            let (sender, receiver) = oneshot::channel::<()>();
            let (started, begun) = oneshot::channel();
            let waits = tokio::spawn(OnPool::new(async move {
                let _held = sender;
                started.send(()).unwrap();
                std::future::pending::<()>().await;
            }));
            begun.await.unwrap();
            waits.abort();
            assert!(waits.await.unwrap_err().is_cancelled());
            // Dropped with the future, it ends the wait.
            assert!(receiver.await.is_err());
        });
    }
}
