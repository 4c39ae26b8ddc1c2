import Foundation

/// How sign-in names are compared: as the store does when it finds them.
enum Names {
    /// Whether two names are one: without case and in one normal form (NFKC).
    static func areEqual(_ a: String, _ b: String) -> Bool { folded(a) == folded(b) }

    private static func folded(_ name: String) -> String {
        name.precomposedStringWithCompatibilityMapping.folding(options: .caseInsensitive, locale: nil)
            .precomposedStringWithCompatibilityMapping
    }
}
