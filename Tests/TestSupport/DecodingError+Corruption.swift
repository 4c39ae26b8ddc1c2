extension DecodingError {
    /// The message of a `dataCorrupted` error, or `nil` for any other error.
    public var corruption: String? {
        if case .dataCorrupted(let context) = self { context.debugDescription } else { nil }
    }
}
