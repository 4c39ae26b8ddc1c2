/// The time for which callers wait when servers elsewhere have to answer first.
public enum ExternalWait {
    /// The longest time of a call or renewal that external servers take part in: 90 seconds.
    ///
    /// An API connector is tried twice, for at most 30 seconds each. Password hashing, mails and rows take the rest.
    public static let longest: Duration = .seconds(90)
}
