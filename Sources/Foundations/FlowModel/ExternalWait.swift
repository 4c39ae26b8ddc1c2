/// How long callers wait for calls that depend on external servers.
public enum ExternalWait {
    /// The maximum duration of a call or renewal that depends on external servers.
    ///
    /// An API connector is called at most twice, and each call takes at most 30 seconds. The remaining time is for
    /// password hashing, mail and storage.
    public static let longest: Duration = .seconds(90)
}
