/// The result of comparing the words that the user typed with the words shown in the terminal.
public enum WordsVerdict: Hashable, Sendable {
    case right
    /// The words differ, and `left` attempts remain for the link that the user opened.
    case wrong(left: Int)
    /// The words were not compared, because no attempts remain for the link that the user opened.
    case usedUp
}
