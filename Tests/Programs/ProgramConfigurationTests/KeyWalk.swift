import Foundation
import OAuth
import StrictYAML
import TestSupport

/// Walks every key of a shape, and tests that the key has an effect.
///
/// Each key must change a property that the program reads. Otherwise an error or a warning must name the key.
struct KeyWalk {
    /// The result of reading a file.
    struct Reading {
        /// The typed values in the file, or `nil` if the file has an error.
        let typed: TypedDump?
        let problems: [String]
    }

    /// The sample texts that are tried as values and names.
    ///
    /// Each rule for texts must accept some of them.
    let texts: [String]
    /// Reads a file with the given content.
    let read: (JSONValue) -> Reading
    /// The scan of the program's sources, which finds the code that reads a property.
    let scan: SourceScan
    /// The members that the file has in addition to the walked key.
    let base: [String: JSONValue]
    /// The members that a key needs in addition, so that it is accepted and has an effect.
    ///
    /// - `path` lists alternatives, each of which is tried with every key of the mapping at this path.
    /// - `path=value` lists the members that must accompany the key at this path if it has this value.
    /// - `path={}` lists the members that must accompany the mapping at this path while its own keys are walked.
    let needs: [String: [[String: JSONValue]]]
    /// The sample values of keys for which none of ``texts`` is suitable, by the key's path.
    ///
    /// An example is a key that names a file with a format of its own.
    let values: [String: [JSONValue]]
    private(set) var failures: [String] = []

    init(
        texts: [String],
        base: [String: JSONValue],
        needs: [String: [[String: JSONValue]]],
        values: [String: [JSONValue]],
        scan: SourceScan,
        read: @escaping (JSONValue) -> Reading
    ) {
        self.texts = texts
        self.base = base
        self.needs = needs
        self.values = values
        self.scan = scan
        self.read = read
    }

    /// Walks the shape of a file.
    mutating func walk(_ shape: Shape) {
        walk(shape, at: "") { $0 }
    }

    /// Walks the keys below a path.
    ///
    /// `file` returns the content of a file that has the given value at this path.
    private mutating func walk(_ shape: Shape, at path: String, _ file: (JSONValue) -> JSONValue) {
        switch shape {
        case .object(let keys):
            for key in keys { walk(key, among: keys, at: path.isEmpty ? key.name : "\(path).\(key.name)", file) }
        case .list(let item, _): walk(item, at: "\(path)[]") { file([$0]) }
        case .dictionary(let rule, let member, _):
            for name in samples(.text(rule)).prefix(1).compactMap(\.string) {
                walk(member, at: "\(path).*") { file([name: $0]) }
            }
        case .either(let shapes): for shape in shapes { walk(shape, at: path, file) }
        case .text, .integer, .number, .scalar, .boolean, .choice, .anything, .later, .refused: break
        }
    }

    private mutating func walk(_ key: Key, among keys: [Key], at path: String, _ file: (JSONValue) -> JSONValue) {
        let isTop = path == key.name
        let fixed = (isTop ? base : [:]).merging(minimal(keys)) { mine, _ in mine }
        if !Self.isGroup(key.shape) { look(at: key, among: keys, fixed, at: path, file) }
        refuseLater(key, fixed, at: path, file)
        let around = fixed.merging(needs["\(path)={}"]?.first ?? [:]) { $1 }
        walk(key.shape, at: path) { value in file(.object(around.merging([key.name: value]) { $1 })) }
    }

    /// Records a failure if a key makes no difference, alone or together with another key.
    private mutating func look(
        at key: Key,
        among keys: [Key],
        _ fixed: [String: JSONValue],
        at path: String,
        _ file: (JSONValue) -> JSONValue
    ) {
        let place = path == key.name ? "" : String(path.dropLast(key.name.count + 1))
        let needed = (needs[place] ?? []) + [[:]]
        let beside: [[String: JSONValue]] =
            needed
            + keys.filter { $0.name != key.name }.flatMap { other in
                samples(other, in: place).prefix(6).flatMap { value in
                    needed.map { $0.merging([other.name: value]) { $1 } }
                }
            }
        var found: Set<String> = []
        var first: TypedDump?
        for siblings in beside where found.isEmpty {
            var members = fixed.merging(siblings) { $1 }
            members[key.name] = nil
            // Each value of a required key may need different members, so values are compared across all sets of
            // members.
            var known = key.isRequired ? first : nil
            for value in (key.isRequired ? [] : [nil]) + samples(key, in: place).map(Optional.some) {
                if let value {
                    let own = value.string.flatMap { needs["\(path)=\($0)"]?.first } ?? [:]
                    members.merge(own.merging([key.name: value]) { $1 }) { $1 }
                }
                let reading = read(file(.object(members)))
                let refusals = ["this version", "is not accepted"]
                let says = reading.problems.contains { problem in
                    problem.contains(key.name) && refusals.contains(where: problem.contains)
                }
                if says { return }
                guard let typed = reading.typed else { continue }
                first = first ?? typed
                let differing = known?.properties(differingFrom: typed) ?? []
                known = known ?? typed
                if differing.contains(where: isRead) { return }
                found.formUnion(differing)
            }
        }
        if found.isEmpty {
            failures.append("`\(path)` has no effect, and nothing reports this")
        } else {
            failures.append("`\(path)` is read into \(found.sorted().joined(separator: ", ")), which nothing reads")
        }
    }

    /// Whether a key with this shape needs no effect of its own.
    ///
    /// This is true if the shape only groups keys, or is an enumeration of which this version accepts only one value.
    private static func isGroup(_ shape: Shape) -> Bool {
        switch shape {
        case .object: true
        case .list(let item, _): isGroup(item)
        case .dictionary(_, let member, _): isGroup(member)
        case .either(let shapes): shapes.allSatisfy(isGroup)
        case .choice(let words, let later): words.count == 1 && !later.isEmpty
        case .text, .integer, .number, .scalar, .boolean, .anything, .later, .refused: false
        }
    }

    /// Records a failure if a value is reserved for a later version, but no problem reports this and names the value.
    private mutating func refuseLater(
        _ key: Key,
        _ fixed: [String: JSONValue],
        at path: String,
        _ file: (JSONValue) -> JSONValue
    ) {
        guard case .choice(_, let later) = key.shape else { return }
        for word in later {
            let problems = read(file(.object(fixed.merging([key.name: .string(word)]) { $1 }))).problems
            if !problems.contains(where: { $0.contains(word) && $0.contains("this version") }) {
                failures.append("`\(path): \(word)` is not refused by name")
            }
        }
    }

    /// Whether any code other than shapes and file readers reads a property.
    private func isRead(_ property: String) -> Bool {
        (try? scan.reads(property) { path, text in
            let isReader = path.hasPrefix("Policies/") && text.contains("import StrictYAML")
            return !isReader && !path.hasPrefix("ProgramConfiguration/") && !path.hasPrefix("StrictYAML/")
        }) ?? false
    }

    /// Returns the required keys of a mapping, each with a value.
    private func minimal(_ keys: [Key]) -> [String: JSONValue] {
        let pairs = keys.filter(\.isRequired).compactMap { key in samples(key.shape).first.map { (key.name, $0) } }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Returns sample values of a key.
    private func samples(_ key: Key, in place: String) -> [JSONValue] {
        values[place.isEmpty ? key.name : "\(place).\(key.name)"] ?? samples(key.shape)
    }

    /// Returns sample values of a shape.
    private func samples(_ shape: Shape) -> [JSONValue] {
        switch shape {
        case .text(let rule):
            texts.filter { $0.unicodeScalars.count <= rule.maxLength && rule.refusal($0) == nil }.map { .string($0) }
        case .integer(let range):
            [range.lowerBound, range.upperBound, range.lowerBound + 1, (range.lowerBound + range.upperBound) / 3]
                .filter(range.contains).map { .int(Int64($0)) }
        case .number: [1, 2]
        case .scalar: ["red", 1, true]
        case .boolean: [true, false]
        case .choice(let words, _): words.map { .string($0) }
        case .list(let item, let count):
            samples(item).map { .array([$0]) } + (count.contains(0) ? [[]] : [])
                + (count.contains(2) ? [.array(Array(samples(item).prefix(2)))] : [])
        case .object(let keys): [.object(minimal(keys))]
        case .dictionary(let rule, let member, _):
            samples(.text(rule)).prefix(3).flatMap { name in
                samples(member).map { .object([name.string ?? "": $0]) }
            }
        case .either(let shapes): shapes.flatMap(samples)
        case .anything, .refused: ["something"]
        case .later(let inner, _): samples(inner)
        }
    }
}
