import Policies
import Testing

@Suite(.timeLimit(.minutes(1))) struct AccentColourTests {
    /// Returns the contrast ratio of two colours as WCAG 2.2 defines it.
    private func contrast(_ a: String, _ b: String) throws -> Double {
        func luminance(_ text: String) throws -> Double {
            let value = try #require(UInt32(text.dropFirst(), radix: 16))
            let parts = [value >> 16, value >> 8 & 255, value & 255].map { part -> Double in
                let share = Double(part) / 255
                return share <= 0.04045 ? share / 12.92 : exp24((share + 0.055) / 1.055)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        let (first, second) = (try luminance(a) + 0.05, try luminance(b) + 0.05)
        return max(first, second) / min(first, second)
    }

    /// Returns `base` to the power of 2.4.
    ///
    /// The result is the square of `base` times the square of its fifth root, which Newton's method computes.
    private func exp24(_ base: Double) -> Double {
        var root = base
        for _ in 0..<60 {
            root -= (root * root * root * root * root - base) / max(5 * root * root * root * root, 1e-12)
        }
        return base * base * root * root
    }

    @Test(
        "every accent is visible as a control in both themes, and text on it is readable",
        arguments: [
            "#ffd400", "#c2410c", "#000000", "#ffffff", "#0f766e", "#777777", "#00ff00", "#ff0000", "#0000ff",
            "#f3f4f7", "#1a1e26", "#7f7f80", "#ff00ff", "#0b57d0",
        ]
    )
    func readable(_ asked: String) throws {
        let accent = try #require(AccentColour(asked))
        #expect(try contrast(accent.light.background, "#f3f4f7") >= 3.4)
        #expect(try contrast(accent.dark.background, "#1a1e26") >= 3.4)
        #expect(try contrast(accent.light.background, accent.light.text) >= 4.5)
        #expect(try contrast(accent.dark.background, accent.dark.text) >= 4.5)
    }

    @Test(
        "an accent with sufficient contrast is unchanged, and any other keeps its hue",
        arguments: [
            ("#C2410C", "#c2410c", "#c94817"), ("#0f766e", "#0f766e", "#218078"), ("#ffd400", "#9a7f02", "#ffd400"),
        ]
    )
    func shades(_ asked: String, _ light: String, _ dark: String) throws {
        let accent = try #require(AccentColour(asked))
        #expect(accent.light.background == light && accent.dark.background == dark)
        #expect(accent.isAdapted)
    }

    @Test("an accent with sufficient contrast in both themes is not changed") func unchanged() throws {
        #expect(try #require(AccentColour("#777777")).isAdapted == false)
    }

    @Test("an invalid colour is rejected", arguments: ["", "#fff", "0b57d0", "#0b57dg", "#0b57d01", "#+b57d0", "red"])
    func refused(_ text: String) {
        #expect(AccentColour(text) == nil)
    }
}
