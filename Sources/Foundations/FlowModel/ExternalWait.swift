/// A limit on how long callers wait for calls that depend on external servers.
public enum ExternalWait {
    /// The maximum duration of a call or token renewal that depends on external servers.
    ///
    /// During this time, an API connector is called at most twice, and each of these calls takes at most 30 seconds.
    /// The remaining time is for password hashing, mail and storage.
    public static let longest: Duration = .seconds(90)
}
