/// How long callers wait for calls that depend on external servers.
public enum ExternalWait {
    /// The maximum duration of a call or renewal that depends on external servers: 90 seconds.
    ///
    /// An API connector is tried twice, for at most 30 seconds each time. The remaining time is for password hashing,
    /// sending mail and storage.
    public static let longest: Duration = .seconds(90)
}
