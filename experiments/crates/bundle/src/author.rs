//! The choices of a publisher, and the people and groups to be cited, as in `CITATION.cff`.

/// Digits of each of the four groups of an ORCID, whose last digit is a check digit.
const GROUP: usize = 4;

#[derive(Debug, Clone, Default)]
pub struct Publication {
    /// The licence of the results, as an SPDX identifier.
    pub licence: Option<String>,
    pub authors: Vec<Author>,
    pub weights: bool,
    pub partial: bool,
    /// Whether to leave out TensorBoard's files, which `posenc run` makes from the metrics, and to keep the means of test
    /// games in place of single positions.
    pub compact: bool,
    /// The positions of a budget to predict; if there is none, that of the experiment.
    pub extrapolate: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    pub name: String,
    pub orcid: Option<String>,
    pub affiliation: Option<String>,
}

/// The ORCID in a text such as `https://orcid.org/0000-0002-1825-0097`; none if it is not one or its check digit (ISO 7064,
/// MOD 11-2) is wrong.
pub fn orcid(text: &str) -> Option<String> {
    let id = text.trim().trim_end_matches('/').rsplit('/').next()?.to_owned();
    let groups: Vec<&str> = id.split('-').collect();
    if groups.len() != GROUP || groups.iter().any(|group| group.len() != GROUP) {
        return None;
    }
    let digits: Vec<char> = groups.concat().chars().collect();
    let (check, digits) = digits.split_last()?;
    let total = digits.iter().try_fold(0, |total, digit| Some((total + digit.to_digit(10)?) * 2))?;
    let expected = (12 - total % 11) % 11;
    let expected = if expected == 10 { 'X' } else { char::from_digit(expected, 10)? };
    (*check == expected).then_some(id)
}

impl Author {
    pub(super) fn id(&self) -> String {
        match &self.orcid {
            Some(orcid) => format!("https://orcid.org/{orcid}"),
            None => format!("#author-{}", self.name.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "-")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::orcid;

    #[test]
    fn an_orcid_has_its_check_digit() {
        for good in
            ["0000-0002-1825-0097", "https://orcid.org/0000-0002-1694-233X", "https://orcid.org/0000-0001-5109-3700/"]
        {
            assert!(orcid(good).is_some_and(|id| good.contains(&id)), "{good}");
        }
        for bad in
            ["", "0000-0002-1825-0098", "0000000218250097", "0000-0002-1825-009X", "00000-002-1825-0097", "a-b-c-d"]
        {
            assert_eq!(orcid(bad), None, "{bad}");
        }
    }
}
