import Foundation
import Testing

@Suite(.timeLimit(.minutes(60)))
struct MutationTests {
    @Test("the invariants of an input hold for changed files of its corpus", arguments: FuzzedInput.all)
    func changed(_ input: FuzzedInput) throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["TOKENBROKER_MUTATIONS"].flatMap { Int($0) } ?? 500
        let seed = environment["TOKENBROKER_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000_000)
        print("\(input.name): TOKENBROKER_SEED=\(seed)")
        var mutator = Mutator(seed: seed, files: try Corpus.files(of: input).map(\.bytes))
        for _ in 0..<count {
            let bytes = mutator.next()
            do {
                try input.check(bytes)
            } catch {
                Issue.record("\(error), seed \(seed): \(Data(bytes).base64EncodedString())")
                return
            }
        }
    }
}

/// Creates inputs by changing files of a corpus at random.
private struct Mutator {
    private var random: SplitMix
    private let files: [[UInt8]]
    /// Byte sequences that have a meaning in the grammar of an input.
    private static let marks = [
        "\"", "\\", "{", "}", "[", "]", ",", ":", ";", "=", "&", "%", "%25", "+", "'", "''", "(", ")", "\n", "\r\n",
        " ",
        "\0", "\u{202E}", "\u{301}", "\u{85}", "é", "😀", "-", "0", "9223372036854775808", "1e400", "null", "true", "x ",
        "(A)", "due:", "text:", "not ", " eq ", "for=", "\u{FEFF}", "? ", "- ", "|", "&a", "*a", "!!str ", "\\u0000",
    ].map { Array($0.utf8) }

    init(seed: UInt64, files: [[UInt8]]) {
        random = SplitMix(state: seed)
        self.files = files
    }

    mutating func next() -> [UInt8] {
        var bytes = files.randomElement(using: &random) ?? []
        for _ in 0...Int.random(in: 0..<6, using: &random) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0..<9, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 2: bytes.insert(contentsOf: Self.marks.randomElement(using: &random) ?? [], at: start)
            case 3: bytes.replaceSubrange(start..<end, with: Self.marks.randomElement(using: &random) ?? [])
            case 4:
                bytes.insert(contentsOf: (files.randomElement(using: &random) ?? []).suffix(end - start + 4), at: start)
            default: if start < bytes.count { bytes[start] = UInt8.random(in: .min ... .max, using: &random) }
            }
        }
        return bytes
    }
}

/// A random number generator that produces the same numbers for the same seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
