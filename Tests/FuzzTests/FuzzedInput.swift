/// A kind of external input, with the invariants that must hold for any bytes.
///
/// ``all`` lists the kinds. `swift test` checks the files in `Corpus`. `make test-long PART=fuzz-1` searches for new
/// inputs that violate an invariant.
struct FuzzedInput: Sendable, CustomStringConvertible {
    /// A violated invariant.
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    /// The name of the input and of its folder in `Corpus`.
    let name: String
    /// Reads the bytes, and throws ``Broken`` if an invariant is violated.
    let check: @Sendable ([UInt8]) throws -> Void

    var description: String { name }

    static let all = [
        jsonRPCLine, form, token, keySet, yaml, filter, cookies, forwarded, taskFiles, idToken, identityAnswers,
        providerMetadata,
    ]
}

/// Throws ``FuzzedInput/Broken`` with `message` unless `condition` holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    guard condition else { throw FuzzedInput.Broken(description: message()) }
}
