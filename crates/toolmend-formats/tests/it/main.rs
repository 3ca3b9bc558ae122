//! The readers through what can be seen of them: text in, parts out.

mod bounds;
mod cases;
mod desk;
mod families;
mod laws;
mod quiet;
mod writers;
