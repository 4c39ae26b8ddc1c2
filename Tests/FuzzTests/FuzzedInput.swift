/// A kind of input that comes from outside, with what must hold for any bytes of it.
///
/// ``all`` lists the kinds. `swift test` checks the files of `Corpus`; `make test-long PART=fuzz-1` looks for others.
struct FuzzedInput: Sendable, CustomStringConvertible {
    /// An invariant that does not hold.
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    /// The name, which is that of its folder in `Corpus`.
    let name: String
    /// Reads the bytes; throws ``Broken`` if an invariant does not hold.
    let check: @Sendable ([UInt8]) throws -> Void

    var description: String { name }

    /// Every kind.
    static let all = [
        jsonRPCLine, form, token, keySet, yaml, filter, cookies, forwarded, taskFiles, idToken, identityAnswers,
        providerMetadata,
    ]
}

/// Throws ``FuzzedInput/Broken`` with `message` unless `condition` holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    guard condition else { throw FuzzedInput.Broken(description: message()) }
}
