extension DecodingError {
    /// The message about a value of the right type with invalid contents, or `nil` for any other error.
    public var corruption: String? {
        if case .dataCorrupted(let context) = self { context.debugDescription } else { nil }
    }
}
