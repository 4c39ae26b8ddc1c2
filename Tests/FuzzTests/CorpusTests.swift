import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CorpusTests {
    @Test("the invariants of an input hold for every file of its corpus", arguments: FuzzedInput.all)
    func corpus(_ input: FuzzedInput) throws {
        let files = try Corpus.files(of: input)
        #expect(files.count >= 3, "\(input.name) has a corpus")
        for (name, bytes) in files {
            do {
                try input.check(bytes)
            } catch {
                Issue.record("\(name): \(error)")
            }
            // Truncates the file and flips single bits, as a fuzzer does at first.
            for index in 0..<min(bytes.count, 256) {
                #expect(throws: Never.self, "\(name) cut at \(index)") {
                    try input.check(Array(bytes[..<index]))
                }
                var changed = bytes
                changed[index] ^= 1
                #expect(throws: Never.self, "\(name) changed at \(index)") {
                    try input.check(changed)
                }
            }
        }
    }

    @Test("there are twelve inputs with distinct names") func names() {
        #expect(Set(FuzzedInput.all.map(\.name)).count == 12)
    }
}

enum Corpus {
    /// Returns the files of an input's corpus, sorted by name.
    static func files(of input: FuzzedInput) throws -> [(name: String, bytes: [UInt8])] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/\(input.name)")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            (name, try [UInt8](Data(contentsOf: folder.appending(path: name))))
        }
    }
}
