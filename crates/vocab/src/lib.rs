//! Token vocabularies: ids and bytes, a preorder byte trie, token sets and mask words.
