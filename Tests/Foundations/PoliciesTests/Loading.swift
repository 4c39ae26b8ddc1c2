import Foundation
import Policies
import StrictYAML

/// Loads a catalogue from the texts of policies and of `checks.yaml`.
///
/// The keys of `files` are file names without `.yaml`. Returns the catalogue and the problems as they are printed.
func load(
    _ files: [String: String],
    checks: String = "checks: {UserLogin: {type: password}, EmailCode: {type: emailCode}}\n"
) -> (PolicyCatalogue?, [String]) {
    let all = files.merging(["checks": checks]) { mine, _ in mine }
    let (catalogue, problems) = PolicyCatalogue.load(
        files: all.sorted { $0.key < $1.key }.map { .init(path: "p/\($0.key).yaml", text: $0.value) }
    )
    return (catalogue, problems.map(\.description))
}
