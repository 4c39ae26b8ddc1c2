/// A library's sentence in English, with the catalog text that translates it.
///
/// A library that other programs use contains no catalogs, so its code contains the English text. `scripts/check-texts`
/// compares that text with the catalog.
package struct EnglishText: Hashable, Sendable {
    /// The sentence in English.
    package let english: String
    /// The catalog key of the sentence, with its values.
    package let text: Text

    /// Creates a sentence from its English text and its catalog text.
    package init(_ english: String, _ text: Text) {
        self.english = english
        self.text = text
    }

    /// Creates a sentence from its English text, its catalog key and its values.
    package init(_ english: String, _ key: String, _ values: [String: any TextParameter] = [:]) {
        self.init(english, Text(key, values))
    }

    /// Creates a sentence that no catalog contains, such as a message from the system or from another program.
    package init(exactly words: String) {
        self.init(words, Text(exactly: words))
    }

    /// Returns the sentence with part of its values replaced, for example by the file name that the user specified.
    package func replacing(_ words: String, with others: String) -> EnglishText {
        let parameters = text.parameters.mapValues { value in
            if case .words(let old) = value { Text.Value.words(old.replacing(words, with: others)) } else { value }
        }
        return EnglishText(english.replacing(words, with: others), Text(key: text.key, parameters: parameters))
    }

    /// Creates the sentence for an error: the error's own sentence if it has one, otherwise its description.
    package init(of error: any Error) {
        self = (error as? any TextualError)?.said ?? EnglishText(exactly: "\(error)")
    }
}

/// A library error with a catalog sentence, which command lines can print in the user's language.
package protocol TextualError: Error {
    /// The sentence in English, with its catalog text.
    var said: EnglishText { get }
}
