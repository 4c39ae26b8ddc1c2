/// The English text of a message, with its catalog key, for libraries that do not include the catalogs.
///
/// `scripts/check-texts` compares the text with the English catalog.
package struct EnglishText: Hashable, Sendable {
    package let english: String
    package let text: Text

    package init(_ english: String, _ text: Text) {
        self.english = english
        self.text = text
    }

    package init(_ english: String, _ key: String, _ values: [String: any TextParameter] = [:]) {
        self.init(english, Text(key, values))
    }

    /// Creates a message that no catalog contains, such as a message from the system or from another program.
    package init(exactly words: String) {
        self.init(words, Text(exactly: words))
    }

    /// Returns the message with `words` replaced by `others`, for example by the file name that the user specified.
    package func replacing(_ words: String, with others: String) -> EnglishText {
        let parameters = text.parameters.mapValues { value in
            if case .words(let old) = value { Text.Value.words(old.replacing(words, with: others)) } else { value }
        }
        return EnglishText(english.replacing(words, with: others), Text(key: text.key, parameters: parameters))
    }

    package init(of error: any Error) {
        self = (error as? any TextualError)?.said ?? EnglishText(exactly: "\(error)")
    }
}

/// A library error with a message from the catalogs, which command-line programs can print in the user's language.
package protocol TextualError: Error {
    var said: EnglishText { get }
}
