/// A limit on how long callers wait for calls that depend on external servers.
public enum ExternalWait {
    /// The maximum duration of a call or token renewal that depends on external servers.
    ///
    /// It covers two API connector calls of at most 30 seconds each, password hashing, mail and storage.
    public static let longest: Duration = .seconds(90)
}
