//! A memory as one HTML page that needs no server and sends no request: values in, text out.
//!
//! Never reads a file. Texts of the memory pass through the escaping of the templates (`templates/*.html`) or through
//! [`html`]; nothing else makes an [`Html`](html::Html).
//!
//! In reading order: [`html`] writes Markdown as safe HTML; [`body`] cuts files into what the template prints;
//! [`search_index`] ranks every word in advance; [`graph`] places files by their links; [`plots`] draws figures;
//! [`item_data`] is what the script looks up on demand; [`template`] puts all of it together.

pub mod body;
pub mod graph;
mod graph_layout;
pub mod html;
pub mod item_data;
pub mod plots;
pub mod search_index;
pub mod template;
