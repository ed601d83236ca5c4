// Two runs of reduced axes with a kept one between them, as in BatchNorm over [N,C,L].
fn address(place: Place, step: u32) -> u32 {
  let outer = step / params.reduced_inner;
  return place.base + outer * params.reduced_outer_stride
    + (step - outer * params.reduced_inner) * params.reduced_stride;
}
