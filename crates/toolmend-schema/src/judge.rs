//! A tool as a judge of readings.

use toolmend_core::quote::quoted;
use toolmend_core::{Admission, Edit, Judge, Note};

use crate::declared;
use crate::doc::Doc;
use crate::note;
use crate::reach::Reach;
use crate::schema::Compiled;
use crate::settle;
use crate::tool::Tool;

impl Tool {
    /// The schema, or what is said of every object without it.
    fn usable(&self) -> Result<&Compiled, Admission> {
        let schema = self.schema.as_deref().ok_or(Admission::NotApplicable)?;
        schema.compiled().map_err(|why| Admission::Unvalidatable { why: why.to_owned() })
    }

    fn compiled(&self) -> Option<&Compiled> {
        self.schema.as_deref()?.compiled().ok()
    }
}

impl Judge for Tool {
    fn is_blind(&self) -> bool {
        self.schema.is_none()
    }

    fn admits(&self, object: &str) -> Admission {
        self.usable().map_or_else(|without| without, |compiled| compiled.admits(&Doc::parse(object)))
    }

    fn examine(&self, object: &str) -> (Admission, Vec<Note>) {
        let doc = Doc::parse(object);
        let (admission, compiled) = match self.usable() {
            Ok(compiled) => (compiled.admits(&doc), Some(compiled)),
            Err(without) => (without, None),
        };
        let used = doc.ok().filter(|_| admission.allows());
        (admission, used.map_or_else(Vec::new, |doc| note::all(&doc, compiled)))
    }

    fn declared_only(&self, object: &str) -> bool {
        let Some(compiled) = self.compiled() else { return true };
        Doc::parse(object).is_ok_and(|doc| declared::only(&doc, Reach::root(compiled)))
    }

    fn misplaces(&self, object: &str) -> bool {
        let Some(compiled) = self.compiled() else { return false };
        Doc::parse(object).is_ok_and(|doc| declared::is_misplaced(&doc, &Reach::root(compiled)))
    }

    fn proves_whole(&self, object: &str, closed: usize) -> bool {
        let Some(compiled) = self.compiled() else { return false };
        Doc::parse(object).is_ok_and(|doc| declared::whole(&doc, Reach::root(compiled), closed))
    }

    fn declares(&self, key: &str) -> bool {
        self.compiled().is_some_and(|compiled| Reach::root(compiled).names(key))
    }

    fn may_have_key(&self, key: &str) -> bool {
        self.compiled().is_none_or(|compiled| {
            let spelled = settle::letters(key);
            compiled.names.iter().any(|name| settle::letters(name) == spelled)
                || self.declared_only(&format!("{{{}:null}}", quoted(key)))
        })
    }

    fn declares_within(&self, key: &str) -> bool {
        self.compiled().is_some_and(|compiled| compiled.names.contains(key))
    }

    fn repeats_key(&self, object: &str) -> bool {
        Doc::parse(object).is_ok_and(|doc| doc.has_duplicates())
    }

    fn takes_nothing(&self) -> bool {
        let Some(compiled) = self.compiled() else { return false };
        let reach = Reach::root(compiled);
        compiled.root.is_object()
            && !reach.is_partial()
            && !reach.declares_any()
            && !reach.is_open_ended()
            && !reach.wants_members()
            && matches!(compiled.admits(&Doc::parse("{}")), Admission::Valid)
    }

    fn settle(&self, object: &str) -> Vec<Edit> {
        self.compiled().map_or_else(Vec::new, |compiled| settle::settle(compiled, object))
    }
}
