extension OAuthError {
    /// An error with Azure AD B2C's number in front of its description, as clients of B2C look for it.
    ///
    /// - Parameters:
    ///   - code: The OAuth error that it is paired with.
    ///   - number: The number, without `AADB2C`.
    ///   - description: One sentence.
    ///   - detail: The cause, for the log only.
    /// - Returns: The error.
    public static func b2c(_ code: Code, _ number: Int, _ description: String, detail: String? = nil) -> OAuthError {
        OAuthError(code: code, description: "AADB2C\(number): \(description)", detail: detail)
    }

    /// A grant that gives nothing, with B2C's number for the reason.
    public static func invalidGrant(_ number: Int, _ description: String) -> OAuthError {
        .b2c(.invalidGrant, number, description)
    }
}
