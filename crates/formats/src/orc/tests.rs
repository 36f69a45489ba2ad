//! Files written and read, and files that others wrote.

mod round_trip;
