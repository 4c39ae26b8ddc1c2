import Foundation

/// A policy's accent colour, with a readable shade for each theme and the text colour for each shade.
///
/// If the contrast is too low for a control (WCAG 2.2 §1.4.11), the OKLCH lightness is adjusted. The hue stays the
/// same. The text is white or black, with a contrast of at least 4.5 (§1.4.3).
public struct AccentColour: Hashable, Sendable, Codable {
    /// A shade and the text colour on it, as `#rrggbb`.
    public struct Shade: Hashable, Sendable, Codable {
        /// The background colour, as `#rrggbb`.
        public let background: String
        /// The text colour, which is white or black.
        public let text: String
    }

    /// The configured colour, as `#rrggbb` in lower case.
    public let asked: String
    /// The shade for the light theme.
    public let light: Shade
    /// The shade for the dark theme.
    public let dark: Shade

    /// The default accent colour.
    public static let preset = AccentColour(
        asked: "#0b57d0",
        light: Shade(background: "#0b57d0", text: "#ffffff"),
        dark: Shade(background: "#256de7", text: "#ffffff")
    )

    private init(asked: String, light: Shade, dark: Shade) {
        self.asked = asked
        self.light = light
        self.dark = dark
    }

    /// Parses `#rrggbb`, or returns `nil` for any other string.
    public init?(_ text: String) {
        let asked = text.lowercased()
        guard let colour = Self.colour(asked) else { return nil }
        self.asked = asked
        light = Self.shade(of: colour, on: Self.lightGround)
        dark = Self.shade(of: colour, on: Self.darkGround)
    }

    /// Whether one of the shades differs from the configured colour.
    public var isAdapted: Bool { light.background != asked || dark.background != asked }

    /// The page's background colour in the light theme, on which controls appear.
    private static let lightGround = RGB(red: 0xf3, green: 0xf4, blue: 0xf7)
    /// The card's background colour in the dark theme, on which controls appear.
    private static let darkGround = RGB(red: 0x1a, green: 0x1e, blue: 0x26)
    /// The minimum contrast of a control, above WCAG's 3 so that it suffices on slightly different backgrounds.
    private static let leastContrast = 3.5
    /// The step by which the lightness is adjusted, which is too small to be visible.
    private static let step = 0.002

    private static func colour(_ text: String) -> RGB? {
        guard text.utf8.count == 7, text.hasPrefix("#"), text.dropFirst().allSatisfy(\.isHexDigit),
            let value = UInt32(text.dropFirst(), radix: 16)
        else {
            return nil
        }
        return RGB(red: Double(value >> 16), green: Double(value >> 8 & 255), blue: Double(value & 255))
    }

    private static func shade(of colour: RGB, on ground: RGB) -> Shade {
        var found = colour
        var oklch = OKLCH(colour)
        let direction = ground.luminance > 0.5 ? -step : step
        while found.contrast(with: ground) < leastContrast, (0...1).contains(oklch.lightness) {
            oklch.lightness += direction
            found = oklch.colour
        }
        let white = RGB(red: 255, green: 255, blue: 255)
        let black = RGB(red: 0, green: 0, blue: 0)
        let isWhite = found.contrast(with: white) >= found.contrast(with: black)
        return Shade(background: found.text, text: isWhite ? white.text : black.text)
    }
}

/// An sRGB colour with components from 0 to 255.
private struct RGB {
    let red: Double
    let green: Double
    let blue: Double

    var text: String {
        "#"
            + [red, green, blue].map { part in
                let byte = UInt8(min(max(part.rounded(), 0), 255))
                return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }.joined()
    }

    /// The relative luminance as defined in WCAG 2.2.
    var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    /// The contrast ratio as defined in WCAG 2.2, from 1 to 21.
    func contrast(with other: RGB) -> Double {
        let (a, b) = (luminance + 0.05, other.luminance + 0.05)
        return max(a, b) / min(a, b)
    }

    static func linear(_ part: Double) -> Double {
        let share = part / 255
        return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }

    static func gamma(_ light: Double) -> Double {
        let share = min(max(light, 0), 1)
        return 255 * (share <= 0.003_130_8 ? share * 12.92 : 1.055 * pow(share, 1 / 2.4) - 0.055)
    }
}

/// A colour as lightness, chroma and hue (CSS Color 4 §10.1).
private struct OKLCH {
    var lightness: Double
    var chroma: Double
    let hue: Double

    init(_ colour: RGB) {
        let (r, g, b) = (RGB.linear(colour.red), RGB.linear(colour.green), RGB.linear(colour.blue))
        let l = cbrt(0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b)
        let m = cbrt(0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b)
        let s = cbrt(0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b)
        lightness = 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s
        let a = 1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s
        let bb = 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s
        chroma = hypot(a, bb)
        hue = atan2(bb, a)
    }

    /// The same colour in sRGB, with reduced chroma if sRGB cannot represent it.
    var colour: RGB {
        var reduced = self
        while reduced.chroma > 0, !reduced.light.allSatisfy((-0.000_1...1.000_1).contains) {
            reduced.chroma = max(0, reduced.chroma - 0.001)
        }
        let light = reduced.light
        return RGB(red: RGB.gamma(light[0]), green: RGB.gamma(light[1]), blue: RGB.gamma(light[2]))
    }

    /// The linear red, green and blue components, which can be less than 0 or greater than 1.
    private var light: [Double] {
        let (a, b) = (chroma * cos(hue), chroma * sin(hue))
        let l = pow(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b, 3)
        let m = pow(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b, 3)
        let s = pow(lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b, 3)
        return [
            4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
            -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
            -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
        ]
    }
}
