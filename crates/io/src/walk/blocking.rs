//! The walk of a local disk: a few threads with a common stack of directories.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use futures::StreamExt;
use futures::stream;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::{Guide, Leaf, LeafContents, LeafFile, LeafStream, Visit, WalkOptions, join_relative};
use crate::error::{Error, Result};
use crate::file_system::BlockingLister;
use crate::path::join;

/// Leaves taken from the stack at once, so that threads seldom meet at its lock.
const LEAVES_AT_ONCE: usize = 64;
/// Leaves given out at once.
const LEAVES_GIVEN: usize = 256;

pub(super) fn walk<G: Guide>(
    lister: Arc<dyn BlockingLister>,
    root: String,
    node: G::Node,
    guide: Arc<G>,
    options: WalkOptions,
) -> LeafStream<G> {
    // More threads than processors only wait for each other: a disk's directories come from memory.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = options.parallelism.clamp(1, processors.max(2));
    let stack = Stack {
        work: vec![Work::Directory(String::new(), node)],
        busy: 0,
        ended: false,
    };
    let crew = Arc::new(Crew {
        lister,
        root,
        guide,
        options,
        stack: Mutex::new(stack),
        ready: Condvar::new(),
        idle: AtomicUsize::new(0),
    });
    let (sender, receiver) = unbounded_channel();
    for _ in 0..threads {
        let (crew, sender) = (Arc::clone(&crew), sender.clone());
        tokio::task::spawn_blocking(move || crew.run(&sender));
    }
    stream::unfold(receiver, |mut receiver| async move {
        Some((receiver.recv().await?, receiver))
    })
    .boxed()
}

enum Work<N> {
    Directory(String, N),
    Leaves(Vec<(String, N)>),
}

struct Stack<N> {
    work: Vec<Work<N>>,
    /// Threads that may still add to the stack.
    busy: usize,
    /// Set when the walk has failed or nobody listens any more.
    ended: bool,
}

struct Crew<G: Guide> {
    lister: Arc<dyn BlockingLister>,
    root: String,
    guide: Arc<G>,
    options: WalkOptions,
    stack: Mutex<Stack<G::Node>>,
    ready: Condvar,
    /// Threads that wait for work.
    idle: AtomicUsize,
}

type Found<G> = Result<Vec<Leaf<<G as Guide>::Node>>, <G as Guide>::Error>;

impl<G: Guide> Crew<G> {
    fn run(&self, sender: &UnboundedSender<Found<G>>) {
        let mut leaves = Vec::new();
        while let Some(work) = self.take() {
            let done = match work {
                Work::Directory(path, node) => self.directory(&path, &node),
                Work::Leaves(named) => self.leaves(named, &mut leaves, sender),
            };
            if let Err(error) = done {
                // A send fails only when nobody listens, and then nobody wants the error either.
                let _ = sender.send(Err(error));
                self.end();
            }
            if sender.is_closed() {
                self.end();
            }
            self.release();
        }
        if !leaves.is_empty() {
            let _ = sender.send(Ok(leaves));
        }
    }

    fn take(&self) -> Option<Work<G::Node>> {
        let mut stack = self.stack.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if stack.ended {
                return None;
            }
            if let Some(work) = stack.work.pop() {
                stack.busy += 1;
                return Some(work);
            }
            if stack.busy == 0 {
                return None;
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            stack = self
                .ready
                .wait(stack)
                .unwrap_or_else(PoisonError::into_inner);
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn release(&self) {
        let mut stack = self.stack.lock().unwrap_or_else(PoisonError::into_inner);
        stack.busy -= 1;
        if stack.busy == 0 && stack.work.is_empty() {
            self.ready.notify_all();
        }
    }

    fn end(&self) {
        self.stack
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .ended = true;
        self.ready.notify_all();
    }

    fn push(&self, work: Vec<Work<G::Node>>) {
        let added = work.len();
        if added == 0 {
            return;
        }
        self.stack
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .work
            .extend(work);
        if added > 1 {
            self.ready.notify_all()
        } else {
            self.ready.notify_one()
        }
    }

    /// Lists a directory above the leaves and puts what the guide wants on the stack: at the end, or earlier where a
    /// thread waits for it, as the listing of a wide directory takes its time.
    fn directory(&self, path: &str, node: &G::Node) -> Result<(), G::Error> {
        let mut work = Vec::new();
        let mut leaves = Vec::new();
        let mut failure = None;
        let full = self.full(path);
        self.options.count_listing();
        let listed = self.lister.list(&full, false, &mut |entry| {
            if failure.is_some() {
                return;
            }
            match self.guide.visit(node, path, entry) {
                Ok(Visit::Skip) => {}
                Ok(Visit::Descend(child)) => {
                    work.push(Work::Directory(join_relative(path, entry.name), child))
                }
                Ok(Visit::Leaf(child)) => {
                    leaves.push((join_relative(path, entry.name), child));
                    if leaves.len() == LEAVES_AT_ONCE {
                        work.push(Work::Leaves(std::mem::take(&mut leaves)));
                    }
                }
                Err(error) => failure = Some(error),
            }
            if !work.is_empty() && self.idle.load(Ordering::Relaxed) > 0 {
                self.push(std::mem::take(&mut work));
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        tolerate(listed)?;
        if !leaves.is_empty() {
            work.push(Work::Leaves(leaves));
        }
        self.push(work);
        Ok(())
    }

    fn leaves(
        &self,
        named: Vec<(String, G::Node)>,
        found: &mut Vec<Leaf<G::Node>>,
        sender: &UnboundedSender<Found<G>>,
    ) -> Result<(), G::Error> {
        for (path, node) in named {
            let files = if self.options.list_leaves {
                self.files(&path)?
            } else {
                Some(Vec::new())
            };
            if let Some(files) = files {
                found.push(Leaf { node, path, files });
            }
            if found.len() >= LEAVES_GIVEN && sender.send(Ok(std::mem::take(found))).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// The data files below a leaf; `None` when it has vanished.
    fn files(&self, path: &str) -> Result<Option<Vec<LeafFile>>> {
        let full = self.full(path);
        let mut contents = LeafContents::default();
        self.options.count_listing();
        match self
            .lister
            .list(&full, true, &mut |entry| contents.add("", entry))
        {
            Err(error) if error.is_not_found() => return Ok(None),
            listed => listed?,
        }
        while let Some(below) = contents.next_directory(&full)? {
            self.options.count_listing();
            tolerate(self.lister.list(&join(&full, &below), true, &mut |entry| {
                contents.add(&below, entry)
            }))?;
        }
        Ok(Some(contents.into_files()))
    }

    fn full(&self, path: &str) -> String {
        if path.is_empty() {
            self.root.clone()
        } else {
            join(&self.root, path)
        }
    }
}

fn tolerate(listed: Result<()>) -> Result<()> {
    match listed {
        Err(error) if !Error::is_not_found(&error) => Err(error),
        _ => Ok(()),
    }
}
