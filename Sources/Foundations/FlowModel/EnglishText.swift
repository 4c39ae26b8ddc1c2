/// A sentence that a library says in English, beside the text by which the catalogs say it in every language.
///
/// A library of other programs carries no catalogs, so its English stands in it; `scripts/check-texts` compares the two.
package struct EnglishText: Hashable, Sendable {
    /// The sentence in English.
    package let english: String
    /// The sentence by its key, with its values.
    package let text: Text

    /// A sentence and its text.
    package init(_ english: String, _ text: Text) {
        self.english = english
        self.text = text
    }

    /// A sentence and the key of its text, with the values.
    package init(_ english: String, _ key: String, _ values: [String: any TextParameter] = [:]) {
        self.init(english, Text(key, values))
    }

    /// Words that no catalog has, as another program or the system says them.
    package init(exactly words: String) {
        self.init(words, Text(exactly: words))
    }

    /// The sentence with other words in its values, such as the name by which its reader knows a file.
    package func replacing(_ words: String, with others: String) -> EnglishText {
        let parameters = text.parameters.mapValues { value in
            if case .words(let old) = value { Text.Value.words(old.replacing(words, with: others)) } else { value }
        }
        return EnglishText(english.replacing(words, with: others), Text(key: text.key, parameters: parameters))
    }

    /// The sentence of an error: its own if it has one, else the words in which it describes itself.
    package init(of error: any Error) {
        self = (error as? any TextualError)?.said ?? EnglishText(exactly: "\(error)")
    }
}

/// An error of a library whose sentence the catalogs have, so that a command line can say it in its user's language.
package protocol TextualError: Error {
    /// The sentence, in English and as a text.
    var said: EnglishText { get }
}
