//! What a vocabulary is made of, in a form that can be stored.
//!
//! Only ids, bytes and names are stored; order, trie and byte sets are made anew on loading, which costs less than
//! checking stored ones would.

use std::collections::BTreeMap;

use crate::{Config, TokenId, Vocab, VocabError};

/// Ids, bytes and names of a vocabulary, as plain data; any content is checked when a [`Vocab`] is made from it.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Content {
    /// Token ids.
    pub ids: Vec<TokenId>,
    /// Where in `data` the string of the id at the same position ends; it begins where the one before ends.
    pub ends: Vec<u32>,
    /// The strings end to end.
    pub data: Vec<u8>,
    /// Names of special tokens.
    pub special_tokens: BTreeMap<String, TokenId>,
    /// Ids that end a sequence.
    pub end_tokens: Vec<TokenId>,
}

impl Content {
    /// Builds the vocabulary.
    ///
    /// # Errors
    /// Where ids and strings do not fit together, and as for [`Vocab::with_config`].
    pub fn into_vocab(self, config: &Config) -> Result<Vocab, VocabError> {
        let strings = self.strings()?;
        let vocab = Vocab::with_config(self.ids.iter().copied().zip(strings), config)?;
        Ok(vocab.with_special_tokens(self.special_tokens).with_end_tokens(self.end_tokens))
    }

    fn strings(&self) -> Result<Vec<&[u8]>, VocabError> {
        if self.ids.len() != self.ends.len() {
            return Err(VocabError::count_mismatch(self.ids.len(), self.ends.len()));
        }
        let mut start = 0;
        let string = |(index, &end): (usize, &u32)| {
            let end = end as usize;
            let error = || VocabError::bad_end(index, start, end, self.data.len());
            let string = self.data.get(start..end).ok_or_else(error)?;
            start = end;
            Ok(string)
        };
        self.ends.iter().enumerate().map(string).collect()
    }
}

impl From<&Vocab> for Content {
    fn from(vocab: &Vocab) -> Self {
        let (special_tokens, end_tokens) = (vocab.special_tokens().clone(), vocab.end_tokens().to_vec());
        let mut content = Self { special_tokens, end_tokens, ..Self::default() };
        for (id, bytes) in vocab.iter() {
            content.ids.push(id);
            content.data.extend_from_slice(bytes);
            content.ends.push(content.data.len() as u32);
        }
        content
    }
}

impl serde::Serialize for Vocab {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Content::from(self).serialize(serializer)
    }
}

/// Checks the content with the default [`Config`]; to raise its limits read a [`Content`].
impl<'de> serde::Deserialize<'de> for Vocab {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let content = Content::deserialize(deserializer)?;
        content.into_vocab(&Config::default()).map_err(serde::de::Error::custom)
    }
}
