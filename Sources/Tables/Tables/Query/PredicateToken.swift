/// A word of a predicate and where it stands.
struct PredicateToken {
    enum Kind: Equatable {
        /// A word or a name.
        case word(String)
        /// A name that was marked with `#`, which no word is mistaken for.
        case name(String)
        case number(String)
        case string(String)
        /// `%` and the letters after it.
        case argument(String)
        /// An operator or a bracket.
        case sign(String)
        /// `[c]` and its like, the letters of it.
        case modifier(String)
        case end
    }

    let kind: Kind
    let position: Int
}
