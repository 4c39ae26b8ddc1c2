/// A limit on how long callers wait for calls that depend on external servers.
public enum ExternalWait {
    /// The maximum duration of a call or token renewal that depends on external servers.
    ///
    /// It covers two API connectors that respond to neither of two calls of 20 seconds each (the default), and the other
    /// work of a flow.
    public static let longest: Duration = .seconds(90)
}
