//! A tool's schema and a body: the laws hold with a schema too.

use toolmend_core::{Ending, Evidence, Judge, Verdict, mend};
use toolmend_schema::Tool;

/// `data` is a schema, a zero byte, and a body.
pub(crate) fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some((schema, body)) = text.split_once('\0') else { return };
    let tool = Tool::new("t", schema);
    for ending in [Ending::Complete, Ending::Unknown, Ending::Cut] {
        let evidence = Evidence::new().stated(ending).tool("t");
        match mend(body, &evidence, &tool) {
            Verdict::Intact { .. } => {
                assert!(tool.admits(body).allows(), "intact, though the schema says no")
            }
            Verdict::Mended { output, .. } => {
                assert!(
                    tool.admits(&output).allows(),
                    "mended to {output:?}, which the schema does not admit"
                );
                // A repair under a certain ending leaves nothing to mend.
                let again = mend(&output, &Evidence::whole().tool("t"), &tool);
                assert!(matches!(again, Verdict::Intact { .. }), "{output:?} is mended again: {again:?}");
            }
            Verdict::Declined(_) => {}
        }
    }
}
