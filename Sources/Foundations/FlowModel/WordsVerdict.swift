/// The result of comparing typed words with those that a terminal shows.
public enum WordsVerdict: Hashable, Sendable {
    /// They are the same.
    case right
    /// They differ; the number of tries that the link has left.
    case wrong(left: Int)
    /// They were not compared: the link has no tries left.
    case usedUp
}
