extension DecodingError {
    /// The sentence about a value that has the right form and is refused for what it says; nil for any other error.
    public var corruption: String? {
        if case .dataCorrupted(let context) = self { context.debugDescription } else { nil }
    }
}
