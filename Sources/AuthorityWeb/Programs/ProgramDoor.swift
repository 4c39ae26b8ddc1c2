public import Authority

/// The door for programs: the endpoints that take forms and answer JSON.
public struct ProgramDoor: Sendable {
    let authority: Authority
    let origins: OriginRule

    /// The door of one authority.
    ///
    /// - Parameters:
    ///   - authority: The authority.
    ///   - origins: The rule by which a request's origin is told.
    public init(authority: Authority, origins: OriginRule) {
        self.authority = authority
        self.origins = origins
    }
}
