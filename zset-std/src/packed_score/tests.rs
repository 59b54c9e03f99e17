use std::string::ToString;

use super::*;

#[test]
fn all_53_bits_and_all_15_digits_can_be_used() {
    let whole = PackedScore::bits([53]).unwrap();
    let largest = (1 << 53) - 1;
    assert_eq!(whole.pack([largest]).unwrap().to_string(), "9007199254740991");
    assert_eq!(whole.unpack(whole.pack([largest]).unwrap()), Ok([largest]));
    assert!(whole.pack([1 << 53]).is_err());
    assert_eq!(PackedScore::bits([54]), Err(PackedScoreError::TooWide));

    let whole = PackedScore::decimal([15]).unwrap();
    assert_eq!(whole.pack([999_999_999_999_999]).unwrap().to_string(), "999999999999999");
    assert_eq!(PackedScore::decimal([16]), Err(PackedScoreError::TooWide));
    assert_eq!(PackedScore::bits([u32::MAX; 5]), Err(PackedScoreError::TooWide));
    assert_eq!(PackedScore::decimal([u32::MAX, 1]), Err(PackedScoreError::TooWide));
}

#[test]
fn a_field_of_zero_width_is_rejected() {
    assert_eq!(PackedScore::bits([8, 0]), Err(PackedScoreError::EmptyField { field: 1 }));
}

#[test]
fn a_layout_may_have_no_fields() {
    let layout = PackedScore::bits([]).unwrap();
    assert_eq!(layout.pack([]), Ok(Score::ZERO));
    assert_eq!(layout.unpack(Score::ZERO), Ok([]));
    assert_eq!(layout.unpack(Score::from(1)), Err(UnpackError::TooLarge));
}

#[test]
fn scores_outside_a_layout_are_rejected() {
    let layout = PackedScore::bits([4, 4]).unwrap();
    let unpack = |score| layout.unpack(Score::new(score).unwrap());
    assert_eq!(unpack(-1.0), Err(UnpackError::Negative));
    assert_eq!(unpack(-0.5), Err(UnpackError::Negative));
    assert_eq!(unpack(0.5), Err(UnpackError::Fraction));
    assert_eq!(unpack(255.5), Err(UnpackError::Fraction));
    assert_eq!(unpack(255.0), Ok([15, 15]));
    assert_eq!(unpack(256.0), Err(UnpackError::TooLarge));
    assert_eq!(unpack(f64::INFINITY), Err(UnpackError::TooLarge));
    assert_eq!(unpack(f64::NEG_INFINITY), Err(UnpackError::Negative));
}

#[test]
fn errors_name_the_field() {
    let error = PackedScore::bits([4, 4]).unwrap().pack([15, 16]).unwrap_err();
    assert_eq!(error.to_string(), "value 16 of field 1 exceeds 15");
    let error = PackedScore::decimal([1, 0]).unwrap_err();
    assert_eq!(error.to_string(), "field 1 has a width of zero");
}
